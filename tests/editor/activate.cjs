// Starts an installed extension as Cursor does, and prints what it registers there.
// Arguments: the extension's folder, the stand-in for the editor, what is open in it.
const Module = require("node:module");

const [extension, standIn, opened] = process.argv.slice(2);
const { Editor } = require(standIn);
const editor = new Editor("cursor", JSON.parse(opened));
const load = Module._load;
Module._load = (name, ...rest) => (name === "vscode" ? editor.api : load(name, ...rest));
require(extension).activate(editor.context);
console.log(JSON.stringify({ registered: Object.fromEntries(editor.registered), shown: editor.shown }));
