// serval for Visual Studio Code: starts `serval lsp` and shows its state. The report beside the text is in `report.ts`,
// the test explorer in `tests.ts`.
import * as fs from "node:fs";
import * as path from "node:path";
import * as vscode from "vscode";
import { LanguageClient, LanguageClientOptions, ServerOptions, TransportKind } from "vscode-languageclient/node";

import { Reports } from "./report";
import { explorer, GOOD, State } from "./tests";

const LANGUAGES = ["serval", "serval-system", "serval-tso", "serval-litmus", "serval-net", "serval-spec", "serval-pnml", "serval-vass"];
const states = new Map<string, State>();
let client: LanguageClient | undefined;
let item: vscode.StatusBarItem;
let reports: Reports;
const changed = new vscode.EventEmitter<State>();

/** The first of these that is there: the setting, PATH, the package. In an untrusted folder only the last. */
function program(context: vscode.ExtensionContext): string | undefined {
  const name = process.platform === "win32" ? "serval.exe" : "serval";
  const own = path.join(context.extensionPath, "bin", name);
  const candidates: string[] = [];
  if (vscode.workspace.isTrusted) {
    const set = vscode.workspace.getConfiguration("serval").get<string>("path");
    if (set) {
      candidates.push(set);
    }
    for (const folder of (process.env.PATH ?? "").split(path.delimiter)) {
      if (path.isAbsolute(folder)) {
        candidates.push(path.join(folder, name));
      }
    }
  }
  candidates.push(own);
  return candidates.find((candidate) => fs.statSync(candidate, { throwIfNoEntry: false })?.isFile());
}

function options(): { check: string; timeout: number; state: boolean } {
  const settings = vscode.workspace.getConfiguration("serval");
  return { check: settings.get("check", "change"), timeout: settings.get("timeout", 5), state: true };
}

async function start(context: vscode.ExtensionContext): Promise<void> {
  const command = program(context);
  if (!command) {
    item.text = "serval: no program";
    item.tooltip = vscode.workspace.isTrusted ? "Set serval.path, or put serval into PATH." : "This folder is not trusted, and the package has no program.";
    item.show();
    return;
  }
  const server: ServerOptions = { command, args: ["lsp"], transport: TransportKind.stdio };
  const settings: LanguageClientOptions = {
    documentSelector: LANGUAGES.map((language) => ({ language })),
    initializationOptions: options(),
    markdown: { isTrusted: false, supportHtml: false },
  };
  client = new LanguageClient("serval", "serval", server, settings);
  client.onNotification("serval/state", (state: State) => {
    const uri = client!.protocol2CodeConverter.asUri(state.uri).toString();
    states.set(uri, state);
    draw();
    void reports.follow(uri, state.state === "verdict");
    changed.fire(state);
  });
  await client.start();
}

/** The text in front, or the one whose report is. */
function front(): vscode.TextDocument | undefined {
  return vscode.window.activeTextEditor?.document ?? reports.document();
}

/** The status item says what holds for the text in front. */
function draw(): void {
  const document = front();
  const state = document && states.get(document.uri.toString());
  if (!document || !state || !LANGUAGES.includes(document.languageId)) {
    item.hide();
    return;
  }
  const decided = GOOD.includes(state.verdict ?? "") ? "pass" : ["unknown", "undecided"].includes(state.verdict ?? "") ? "question" : "warning";
  const icon = { stale: "edit", checking: "loading~spin", stopped: "debug-pause", error: "error", verdict: decided }[state.state];
  item.text = `$(${icon}) ${state.text}`;
  item.tooltip = state.state === "checking" ? "Stop" : "Check again";
  item.command = state.state === "checking" ? "serval.stopThis" : "serval.checkThis";
  item.show();
}

/** A command of the server about a text. */
async function ask(command: string, document = front()): Promise<void> {
  if (document && client) {
    const uri = client.code2ProtocolConverter.asUri(document.uri);
    await client.sendRequest("workspace/executeCommand", { command, arguments: [uri] });
  }
}

/** The report is a page without network. */
async function page(document: vscode.TextDocument): Promise<string> {
  if (!client) {
    throw new Error("the server does not run");
  }
  const uri = client.code2ProtocolConverter.asUri(document.uri);
  return (await client.sendRequest<{ html: string }>("serval/report", { textDocument: { uri } })).html;
}

async function report(): Promise<void> {
  const document = front();
  try {
    await (document && reports.open(document));
  } catch (error) {
    void vscode.window.showInformationMessage(`serval: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** A text of its own, which is in no file. */
async function example(): Promise<void> {
  const content = "request save {\n  seen := EDITS;\n  yield; // the other request runs here\n  EDITS := (seen + 1) % 4;\n  seen + 1\n}\n";
  await vscode.window.showTextDocument(await vscode.workspace.openTextDocument({ language: "serval", content }));
}

/** What is decided about a text in its current version, at the latest when the work was stopped. */
async function decide(document: vscode.TextDocument, token: vscode.CancellationToken): Promise<State | undefined> {
  const key = document.uri.toString();
  const current = (): State | undefined => {
    const state = states.get(key);
    return state && state.version >= document.version && !["stale", "checking"].includes(state.state) ? state : undefined;
  };
  if (!client || current()?.state === "verdict") {
    return current();
  }
  const over: vscode.Disposable[] = [];
  const decided = new Promise<State | undefined>((found) => {
    over.push(
      token.onCancellationRequested(() => found(undefined)),
      changed.event(() => current() && found(current())),
    );
  });
  try {
    await ask("serval.check", document);
    return await decided;
  } finally {
    over.forEach((one) => one.dispose());
  }
}

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  item = vscode.window.createStatusBarItem("serval", vscode.StatusBarAlignment.Left);
  item.name = "serval";
  reports = new Reports(page, draw);
  const restart = async (): Promise<void> => {
    await client?.stop();
    states.clear();
    await start(context);
  };
  context.subscriptions.push(
    item,
    reports,
    changed,
    explorer(decide),
    vscode.window.onDidChangeActiveTextEditor(draw),
    vscode.commands.registerCommand("serval.checkThis", () => ask("serval.check")),
    vscode.commands.registerCommand("serval.stopThis", () => ask("serval.stop")),
    vscode.commands.registerCommand("serval.showReport", report),
    vscode.commands.registerCommand("serval.openExample", example),
    vscode.workspace.onDidGrantWorkspaceTrust(restart),
    vscode.workspace.onDidChangeConfiguration((change) => (change.affectsConfiguration("serval") ? restart() : undefined)),
  );
  await start(context);
}

export async function deactivate(): Promise<void> {
  await client?.stop();
}
