// The connect page: this server's address, a tab for each client, and a trial.

function fillAddress() {
  for (const part of document.querySelectorAll("[data-example]")) {
    const { example } = part.dataset;
    if (!example) continue;
    const base = new URL(document.querySelector(".brand").href).href.replace(/\/$/, "");
    for (const code of part.querySelectorAll("code")) {
      code.textContent = code.textContent.replaceAll(example, base);
    }
  }
}

function startTabs() {
  for (const tabs of document.querySelectorAll(".tabs")) {
    const buttons = [...tabs.querySelectorAll("[role=tab]")];
    const panels = buttons.map((button) => document.getElementById(button.getAttribute("aria-controls")));
    for (const [number, panel] of panels.entries()) {
      panel.setAttribute("role", "tabpanel");
      panel.setAttribute("aria-labelledby", buttons[number].id);
      panel.removeAttribute("aria-label");
    }
    const choose = (at, focus) => {
      for (const [number, button] of buttons.entries()) {
        button.setAttribute("aria-selected", String(number === at));
        button.tabIndex = number === at ? 0 : -1;
        panels[number].hidden = number !== at;
      }
      if (focus) buttons[at].focus();
    };
    for (const [number, button] of buttons.entries()) {
      button.addEventListener("click", () => {
        choose(number);
        history.replaceState(null, "", `#${panels[number].id}`);
      });
      button.addEventListener("keydown", (event) => {
        const last = buttons.length - 1;
        const to = {
          ArrowRight: number === last ? 0 : number + 1,
          ArrowLeft: number === 0 ? last : number - 1,
          Home: 0,
          End: last,
        }[event.key];
        if (to === undefined) return;
        event.preventDefault();
        choose(to, true);
      });
    }
    const named = panels.findIndex((panel) => `#${panel.id}` === location.hash);
    choose(Math.max(named, 0));
    tabs.dataset.ready = "";
  }
}

function startTrial() {
  const trial = document.querySelector(".trial");
  if (!trial) return;
  const { endpoint } = trial.dataset;
  const list = trial.querySelector("ol");
  const prefix = "io.modelcontextprotocol";
  const version = "2026-07-28";
  const request = async (method, params, name) => {
    const meta = {
      [`${prefix}/protocolVersion`]: version,
      [`${prefix}/clientCapabilities`]: {},
      [`${prefix}/clientInfo`]: { name: "connect-page", version: "1" },
    };
    const headers = {
      "Content-Type": "application/json",
      Accept: "application/json, text/event-stream",
      "MCP-Protocol-Version": version,
      "Mcp-Method": method,
    };
    if (name) headers["Mcp-Name"] = name;
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: { ...params, _meta: meta } });
    const response = await fetch(endpoint, { method: "POST", headers, body });
    const reply = await response.json();
    if (reply.error) throw new Error(reply.error.message ?? JSON.stringify(reply.error));
    return reply.result;
  };
  const show = (title, value, failed = false) => {
    const item = document.createElement("li");
    const words = document.createElement("strong");
    words.textContent = title;
    const text = document.createElement("pre");
    text.tabIndex = 0;
    text.className = failed ? "code failed" : "code";
    text.textContent = typeof value === "string" ? value : JSON.stringify(value, null, 2);
    const frame = document.createElement("div");
    frame.className = "body";
    frame.append(text);
    item.append(words, frame);
    list.append(item);
  };
  trial.querySelector("button").addEventListener("click", async () => {
    list.replaceChildren();
    try {
      const found = await request("server/discover", {});
      show("Server found", { serverInfo: found.serverInfo ?? found._meta, capabilities: found.capabilities });
      const { tools } = await request("tools/list", {});
      show(`${tools.length} tools`, tools.map((tool) => `${tool.name}: ${tool.title}`).join("\n"));
      const tool = tools.find((each) => /^(list_articles|list_doc_pages|list_rules)$/.test(each.name));
      if (!tool) return;
      const parameters = tool.name === "list_rules" ? {} : { limit: 2 };
      const result = await request("tools/call", { name: tool.name, arguments: parameters }, tool.name);
      show(`Result of ${tool.name}`, result.structuredContent ?? result.content);
    } catch (error) {
      show("No answer", String(error.message ?? error), true);
    }
  });
}

function startConnect() {
  fillAddress();
  startTabs();
  startTrial();
}

document.addEventListener("kb-content", startConnect);
startConnect();
