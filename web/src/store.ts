// What is kept between visits: the draft and the look. Storage may be full or forbidden; then nothing is kept.

export interface Draft {
  text: string;
  name: string;
  kind: string;
  /** Whether it was being decided when the page ended: it is shown then, and not run. */
  running: boolean;
  /** The tab that kept it. */
  tab?: string;
}

const DRAFT = "serval.draft";
/** A name of this tab; a lock that is called like it is held as long as the tab lives. */
const me = `serval.${crypto.getRandomValues(new Uint32Array(2)).join(".")}`;
void navigator.locks?.request(me, () => new Promise(() => undefined));

/** Whether a draft was being decided in a tab that has ended meanwhile. */
export async function hasEnded(draft: Draft) {
  if (!draft.running) return false;
  const held = (await navigator.locks?.query())?.held ?? [];
  return !held.some((lock) => lock.name !== undefined && lock.name === draft.tab);
}

export function keep(draft: Draft) {
  try {
    localStorage.setItem(DRAFT, JSON.stringify({ ...draft, tab: me }));
  } catch {
    // Nothing is lost but the draft.
  }
}

export function kept(): Draft | null {
  try {
    const read: unknown = JSON.parse(localStorage.getItem(DRAFT) ?? "null");
    const draft = read as Draft | null;
    return typeof draft?.text === "string" && typeof draft.name === "string" && typeof draft.kind === "string" ? draft : null;
  } catch {
    return null;
  }
}

export function keepTheme(theme: string) {
  try {
    localStorage.setItem("serval.theme", theme);
  } catch {
    // As above.
  }
}

export function keptTheme() {
  try {
    return localStorage.getItem("serval.theme") ?? "";
  } catch {
    return "";
  }
}
