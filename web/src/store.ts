// What is kept between visits: the draft and the look. Storage may be full or forbidden; then nothing is kept.

export interface Draft {
  text: string;
  name: string;
  kind: string;
  /** Whether it was being decided when the page ended: it is shown then, and not run. */
  running: boolean;
}

const DRAFT = "serval.draft";

export function keep(draft: Draft) {
  try {
    localStorage.setItem(DRAFT, JSON.stringify(draft));
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
