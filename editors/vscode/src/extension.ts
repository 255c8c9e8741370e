// serval for Visual Studio Code: starts `serval lsp`, shows its state, and the report beside the text.
import * as fs from "node:fs";
import * as path from "node:path";
import * as vscode from "vscode";
import { LanguageClient, LanguageClientOptions, ServerOptions, TransportKind } from "vscode-languageclient/node";

type State = { uri: string; version: number; state: "stale" | "checking" | "verdict" | "stopped" | "error"; text: string; verdict: string | null };

const LANGUAGES = ["serval", "serval-tso", "serval-litmus", "serval-net", "serval-pnml", "serval-vass"];
const states = new Map<string, State>();
let client: LanguageClient | undefined;
let item: vscode.StatusBarItem;

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
    states.set(client!.protocol2CodeConverter.asUri(state.uri).toString(), state);
    draw();
  });
  await client.start();
}

/** The status item says what holds for the text in front. */
function draw(): void {
  const document = vscode.window.activeTextEditor?.document;
  const state = document && states.get(document.uri.toString());
  if (!document || !state || !LANGUAGES.includes(document.languageId)) {
    item.hide();
    return;
  }
  const icon = { stale: "edit", checking: "loading~spin", stopped: "debug-pause", error: "error", verdict: state.verdict === "serializable" || state.verdict === "strict" ? "pass" : "warning" }[state.state];
  item.text = `$(${icon}) ${state.text}`;
  item.tooltip = state.state === "checking" ? "Stop" : "Check again";
  item.command = state.state === "checking" ? "serval.stopThis" : "serval.checkThis";
  item.show();
}

/** A command of the server about the text in front. */
async function ask(command: string): Promise<void> {
  const document = vscode.window.activeTextEditor?.document;
  if (document && client) {
    const uri = client.code2ProtocolConverter.asUri(document.uri);
    await client.sendRequest("workspace/executeCommand", { command, arguments: [uri] });
  }
}

/** The report is a page without network, beside the text. */
async function report(): Promise<void> {
  const document = vscode.window.activeTextEditor?.document;
  if (!document || !client) {
    return;
  }
  try {
    const uri = client.code2ProtocolConverter.asUri(document.uri);
    const { html } = await client.sendRequest<{ html: string }>("serval/report", { textDocument: { uri } });
    const panel = vscode.window.createWebviewPanel("serval", `serval: ${path.basename(document.fileName)}`, vscode.ViewColumn.Beside, {
      enableScripts: true,
      localResourceRoots: [],
    });
    panel.webview.html = html;
  } catch (error) {
    void vscode.window.showInformationMessage(`serval: ${error instanceof Error ? error.message : String(error)}`);
  }
}

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  item = vscode.window.createStatusBarItem("serval", vscode.StatusBarAlignment.Left);
  const restart = async (): Promise<void> => {
    await client?.stop();
    states.clear();
    await start(context);
  };
  context.subscriptions.push(
    item,
    vscode.window.onDidChangeActiveTextEditor(draw),
    vscode.commands.registerCommand("serval.checkThis", () => ask("serval.check")),
    vscode.commands.registerCommand("serval.stopThis", () => ask("serval.stop")),
    vscode.commands.registerCommand("serval.showReport", report),
    vscode.workspace.onDidGrantWorkspaceTrust(restart),
    vscode.workspace.onDidChangeConfiguration((change) => (change.affectsConfiguration("serval") ? restart() : undefined)),
  );
  await start(context);
}

export async function deactivate(): Promise<void> {
  await client?.stop();
}
