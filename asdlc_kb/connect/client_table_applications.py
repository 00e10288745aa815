"""Rows of the client table: command lines and desktop applications."""

from typing import Final

from asdlc_kb.connect.client_model import Client, ClientProgram, everywhere, per_system
from asdlc_kb.connect.entry_templates import (
    CLINE,
    HTTP,
    NEEDS_NODE,
    PLAIN,
    SERVERS,
    TYPED,
    URL,
    bearer_header,
)

APPLICATIONS: Final = (
    Client(
        id="claude-code",
        name="Claude Code",
        aliases=("claude",),
        places={
            "user": everywhere("$CLAUDE_CONFIG_DIR/.claude.json", key=SERVERS),
            "project": everywhere(".mcp.json", key=SERVERS),
            "local": everywhere(
                "$CLAUDE_CONFIG_DIR/.claude.json",
                key=("projects", "{project}", "mcpServers"),
            ),
        },
        install_paths=("~/.claude", "$CLAUDE_CONFIG_DIR/.claude.json"),
        remote=HTTP,
        token=bearer_header("${{variable}}"),
        stdio=TYPED,
        program=ClientProgram(
            "claude",
            ("user", "project"),
            remote=(
                *("mcp", "add", "--transport", "http"),
                *("--scope", "{scope}", "{name}", "{url}", "{token}"),
            ),
            stdio=("mcp", "add", "--scope", "{scope}", "{name}", "--", "{line}"),
            remove=("mcp", "remove", "--scope", "{scope}", "{name}"),
            token=("--header", "Authorization: Bearer ${{variable}}"),
        ),
        verified="tested",
        checked="2026-11",
        documentation="https://code.claude.com/docs/en/mcp",
    ),
    Client(
        id="claude-desktop",
        name="Claude Desktop",
        places={
            "user": per_system(
                linux="$XDG_CONFIG_HOME/Claude/claude_desktop_config.json",
                macos="~/Library/Application Support/Claude/claude_desktop_config.json",
                windows="%APPDATA%\\Claude\\claude_desktop_config.json",
                key=SERVERS,
            )
        },
        remote=None,
        stdio=PLAIN,
        note=f"{NEEDS_NODE} A public https address can be added in its settings, "
        "under Connectors. Restart it after a change.",
        verified="seen",
        checked="2026-11",
        documentation="https://modelcontextprotocol.io/docs/develop/connect-local-servers",
    ),
    Client(
        id="codex",
        name="Codex",
        aliases=("codex-cli", "chatgpt-desktop"),
        form="toml",
        places={
            "user": everywhere("$CODEX_HOME/config.toml", key=("mcp_servers",)),
            "project": everywhere(".codex/config.toml", key=("mcp_servers",)),
        },
        remote=URL,
        token={"bearer_token_env_var": "{variable}"},
        stdio=PLAIN,
        program=ClientProgram(
            "codex",
            ("user",),
            remote=("mcp", "add", "{name}", "--url", "{url}", "{token}"),
            stdio=("mcp", "add", "{name}", "--", "{line}"),
            remove=("mcp", "remove", "{name}"),
            token=("--bearer-token-env-var", "{variable}"),
        ),
        note="The command line, the editor extension and the ChatGPT desktop app share "
        "the file. A project's file is read once the project is trusted.",
        verified="tested",
        checked="2026-11",
        documentation="https://developers.openai.com/codex/mcp",
    ),
    Client(
        id="gemini",
        name="Gemini CLI",
        aliases=("gemini-cli",),
        places={
            "user": everywhere("$GEMINI_CLI_HOME/.gemini/settings.json", key=SERVERS),
            "project": everywhere(".gemini/settings.json", key=SERVERS),
        },
        install_paths=("$GEMINI_CLI_HOME/.gemini/settings.json",),
        remote={**URL, "type": "http"},
        token=bearer_header("${variable}"),
        stdio=PLAIN,
        program=ClientProgram(
            "gemini",
            ("user", "project"),
            remote=(
                *("mcp", "add", "--transport", "http"),
                *("-s", "{scope}", "{token}", "{name}", "{url}"),
            ),
            stdio=(
                *("mcp", "add", "-s", "{scope}", "{name}"),
                *("{command}", "--", "{args}"),
            ),
            remove=("mcp", "remove", "-s", "{scope}", "{name}"),
            token=("--header", "Authorization: Bearer ${variable}"),
        ),
        hint="In a folder that it does not trust, it shows the server as Disabled: "
        "trust the folder with `/permissions trust`.",
        verified="tested",
        checked="2026-11",
        documentation="https://geminicli.com/docs/tools/mcp-server/",
    ),
    Client(
        id="copilot-cli",
        name="GitHub Copilot CLI",
        places={
            "user": everywhere(
                "$COPILOT_HOME/mcp-config.json", key=SERVERS, extra={"tools": ["*"]}
            ),
            "project": everywhere(".github/mcp.json", key=SERVERS),
        },
        remote=HTTP,
        stdio=TYPED,
        note="The entry in a project's file has no `tools`.",
        verified="seen",
        checked="2026-11",
        documentation="https://docs.github.com/en/copilot/concepts/agents/about-copilot-cli",
    ),
    Client(
        id="opencode",
        name="opencode",
        places={
            "user": everywhere(
                "$XDG_CONFIG_HOME/opencode/opencode.jsonc",
                "$XDG_CONFIG_HOME/opencode/opencode.json",
                key=("mcp",),
            ),
            "project": everywhere("opencode.jsonc", "opencode.json", key=("mcp",)),
        },
        remote={"type": "remote", **URL, "enabled": True},
        token=bearer_header("{env:{variable}}"),
        stdio={"type": "local", "command": "{line}", "enabled": True},
        verified="seen",
        checked="2026-11",
        documentation="https://opencode.ai/docs/mcp-servers/",
    ),
    Client(
        id="goose",
        name="Goose",
        form="yaml",
        places={
            "user": per_system(
                linux="$XDG_CONFIG_HOME/goose/config.yaml",
                macos="~/.config/goose/config.yaml",
                windows="%APPDATA%\\Block\\goose\\config\\config.yaml",
                key=("extensions",),
            ),
            "project": everywhere(".goose/config.yaml", key=("extensions",)),
        },
        remote={
            "name": "{name}",
            "type": "streamable_http",
            "uri": "{url}",
            "enabled": True,
            "timeout": 300,
            "description": "",
        },
        stdio={
            "name": "{name}",
            "type": "stdio",
            "cmd": "{command}",
            "args": "{args}",
            "enabled": True,
            "timeout": 300,
            "description": "",
        },
        link="goose://extension?url={url}&type=streamable_http&timeout=300&id={name}"
        "&name={name}",
        verified="seen",
        checked="2026-11",
        documentation="https://block.github.io/goose/docs/getting-started/using-extensions",
    ),
    Client(
        id="cline-cli",
        name="Cline CLI",
        places={
            "user": everywhere(
                "~/.cline/data/settings/cline_mcp_settings.json", key=SERVERS
            )
        },
        install_paths=("~/.cline",),
        remote=CLINE,
        stdio={**PLAIN, "disabled": False},
        verified="seen",
        checked="2026-11",
        documentation="https://docs.cline.bot/mcp/configuring-mcp-servers",
    ),
    Client(
        id="lm-studio",
        name="LM Studio",
        aliases=("lmstudio",),
        places={"user": everywhere("~/.lmstudio/mcp.json", key=SERVERS)},
        remote=URL,
        stdio=PLAIN,
        link="lmstudio://add_mcp?name={name}&config={base64}",
        verified="docs",
        checked="2026-11",
        documentation="https://lmstudio.ai/docs/app/mcp",
    ),
)
