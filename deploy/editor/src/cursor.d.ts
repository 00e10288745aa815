/** Cursor's addition to the API of the editor, as cursor.com/docs/extension-api describes it. */
declare module "vscode" {
  export const cursor:
    | {
        mcp?: {
          registerServer(server: {
            name: string;
            server:
              | { command: string; args: string[]; env: Record<string, string> }
              | { url: string; headers?: Record<string, string> };
          }): void;
          unregisterServer(name: string): void;
        };
      }
    | undefined;
}
