"""Rows of the client table: editors and their extensions."""

from typing import Final

from asdlc_kb.connect.client_model import Client, ClientProgram, everywhere, per_system
from asdlc_kb.connect.entry_templates import (
    CLINE,
    CODE,
    HTTP,
    NEEDS_NODE,
    PLAIN,
    SERVERS,
    TYPED,
    URL,
    bearer_header,
)

EDITORS: Final = (
    Client(
        id="cursor",
        name="Cursor",
        places={
            "user": everywhere("~/.cursor/mcp.json", key=SERVERS),
            "project": everywhere(".cursor/mcp.json", key=SERVERS),
        },
        remote=URL,
        token=bearer_header("${env:{variable}}"),
        stdio=PLAIN,
        link="cursor://anysphere.cursor-deeplink/mcp/install?name={name}&config={base64}",
        verified="seen",
        checked="2026-11",
        documentation="https://cursor.com/docs/context/mcp",
    ),
    Client(
        id="vscode",
        name="VS Code",
        aliases=("code", "copilot", "github-copilot"),
        places={
            "user": per_system(
                linux=f"{CODE['linux']}/mcp.json",
                macos=f"{CODE['macos']}/mcp.json",
                windows=f"{CODE['windows']}\\mcp.json",
                key=("servers",),
            ),
            "project": everywhere(".vscode/mcp.json", key=("servers",)),
        },
        remote=HTTP,
        token=bearer_header("${input:{variable}}"),
        top_level={
            "inputs": [
                {
                    "type": "promptString",
                    "id": "{variable}",
                    "description": "Token for the knowledge base",
                    "password": True,
                }
            ]
        },
        stdio=TYPED,
        program=ClientProgram(
            "code",
            ("user",),
            remote=("--add-mcp", "{json}"),
            stdio=("--add-mcp", "{json}"),
        ),
        link="vscode:mcp/install?{json}",
        note="With GitHub Copilot.",
        verified="docs",
        checked="2026-05",
        documentation="https://code.visualstudio.com/docs/copilot/customization/mcp-servers",
    ),
    Client(
        id="zed",
        name="Zed",
        places={
            "user": per_system(
                linux="$XDG_CONFIG_HOME/zed/settings.json",
                macos="~/.config/zed/settings.json",
                windows="%APPDATA%\\Zed\\settings.json",
                key=("context_servers",),
            ),
            "project": everywhere(".zed/settings.json", key=("context_servers",)),
        },
        remote={"source": "custom", **HTTP},
        stdio={"source": "custom", **PLAIN},
        verified="seen",
        checked="2026-11",
        documentation="https://zed.dev/docs/ai/mcp",
    ),
    Client(
        id="jetbrains",
        name="JetBrains AI Assistant",
        aliases=("intellij", "pycharm"),
        by_hand="Settings > Tools > AI Assistant > Model Context Protocol (MCP)",
        install_paths=(
            "$XDG_CONFIG_HOME/JetBrains",
            "~/Library/Application Support/JetBrains",
            "%APPDATA%\\JetBrains",
        ),
        remote=URL,
        stdio=PLAIN,
        verified="docs",
        checked="2026-11",
        documentation="https://www.jetbrains.com/help/ai-assistant/mcp.html",
    ),
    Client(
        id="junie",
        name="Junie",
        places={
            "user": everywhere("~/.junie/mcp/mcp.json", key=SERVERS),
            "project": everywhere(".junie/mcp/mcp.json", key=SERVERS),
        },
        install_paths=("~/.junie",),
        remote=None,
        stdio=PLAIN,
        note=NEEDS_NODE,
        verified="docs",
        checked="2026-11",
        documentation="https://www.jetbrains.com/help/junie/model-context-protocol-mcp.html",
    ),
    Client(
        id="antigravity",
        name="Antigravity",
        places={"user": everywhere("~/.gemini/config/mcp_config.json", key=SERVERS)},
        remote={"serverUrl": "{url}"},
        stdio=PLAIN,
        verified="seen",
        checked="2026-11",
        documentation="https://antigravity.google/docs/mcp",
    ),
    Client(
        id="devin",
        name="Devin Desktop",
        places={
            "user": per_system(
                linux="$XDG_CONFIG_HOME/devin/mcp_config.json",
                macos="~/.config/devin/mcp_config.json",
                windows="%APPDATA%\\devin\\mcp_config.json",
                key=SERVERS,
            ),
            "project": everywhere(".devin/mcp_config.json", key=SERVERS),
        },
        remote=URL,
        stdio=PLAIN,
        program=ClientProgram(
            "devin", ("user",), remote=("mcp", "add", "{name}", "{url}")
        ),
        note="Called Windsurf until June 2026.",
        verified="docs",
        checked="2026-11",
        documentation="https://docs.devin.ai/",
    ),
    Client(
        id="windsurf",
        name="Windsurf",
        aliases=("codeium",),
        places={"user": everywhere("~/.codeium/windsurf/mcp_config.json", key=SERVERS)},
        remote={"serverUrl": "{url}"},
        token=bearer_header("${env:{variable}}"),
        stdio=PLAIN,
        note="Versions before it became Devin Desktop.",
        verified="docs",
        checked="2026-11",
        documentation="https://docs.windsurf.com/windsurf/cascade/mcp",
    ),
    Client(
        id="kiro",
        name="Kiro",
        places={
            "user": everywhere("~/.kiro/settings/mcp.json", key=SERVERS),
            "project": everywhere(".kiro/settings/mcp.json", key=SERVERS),
        },
        install_paths=("~/.kiro",),
        remote=URL,
        token=bearer_header("${{variable}}"),
        stdio=PLAIN,
        verified="seen",
        checked="2026-11",
        documentation="https://kiro.dev/docs/mcp/configuration/",
    ),
    Client(
        id="cline",
        name="Cline",
        places={
            "user": per_system(
                linux=f"{CODE['linux']}/globalStorage/saoudrizwan.claude-dev/settings/"
                "cline_mcp_settings.json",
                macos=f"{CODE['macos']}/globalStorage/saoudrizwan.claude-dev/settings/"
                "cline_mcp_settings.json",
                windows=f"{CODE['windows']}\\globalStorage\\saoudrizwan.claude-dev\\"
                "settings\\cline_mcp_settings.json",
                key=SERVERS,
            )
        },
        remote=CLINE,
        stdio={**PLAIN, "disabled": False},
        note="The VS Code extension.",
        verified="seen",
        checked="2026-11",
        documentation="https://docs.cline.bot/mcp/configuring-mcp-servers",
    ),
    Client(
        id="continue",
        name="Continue",
        form="yaml",
        places={
            "user": everywhere("~/.continue/mcpServers/{name}.yaml"),
            "project": everywhere(".continue/mcpServers/{name}.yaml"),
        },
        install_paths=("~/.continue",),
        remote={
            "name": "{name}",
            "version": "0.0.1",
            "schema": "v1",
            "mcpServers": [
                {"name": "{name}", "type": "streamable-http", "url": "{url}"}
            ],
        },
        stdio={
            "name": "{name}",
            "version": "0.0.1",
            "schema": "v1",
            "mcpServers": [{"name": "{name}", "type": "stdio", **PLAIN}],
        },
        note="The file contains only this server.",
        verified="docs",
        checked="2026-11",
        documentation="https://docs.continue.dev/customize/deep-dives/mcp",
    ),
)
