// The map: what an article is connected with stands out while it is pointed at.

function startMap() {
  const wheel = document.querySelector(".wheel");
  if (!wheel) return;
  const nodes = new Map([...wheel.querySelectorAll(".node")].map((n) => [n.dataset.key, n]));
  const edges = [...wheel.querySelectorAll(".edge")];
  const choose = (key) => {
    wheel.classList.toggle("choosing", key !== null);
    for (const node of nodes.values()) node.classList.toggle("chosen", node.dataset.key === key);
    for (const edge of edges) {
      const { from, to } = edge.dataset;
      const isChosen = from === key || to === key;
      edge.classList.toggle("chosen", isChosen);
      if (isChosen) for (const end of [from, to]) nodes.get(end)?.classList.add("chosen");
    }
  };
  for (const [key, node] of nodes) {
    for (const event of ["pointerenter", "focus"]) node.addEventListener(event, () => choose(key));
    for (const event of ["pointerleave", "blur"]) node.addEventListener(event, () => choose(null));
  }
}

document.addEventListener("kb-content", startMap);
startMap();
