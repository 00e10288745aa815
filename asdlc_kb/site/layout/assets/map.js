// The chord diagram: highlights the relations of an article under the pointer or focus.

function startMap() {
  const diagram = document.querySelector(".chord-diagram");
  if (!diagram) return;
  const nodes = new Map([...diagram.querySelectorAll(".node")].map((n) => [n.dataset.key, n]));
  const edges = [...diagram.querySelectorAll(".edge")];
  const choose = (key) => {
    diagram.classList.toggle("choosing", key !== null);
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
