import { signal } from "@preact/signals";

const themes = ["system", "light", "dark"] as const;
type Theme = (typeof themes)[number];

const storageKey = "firesteel-theme";

/** Chosen theme. */
export const theme = signal<Theme>(storedTheme());

/** Shows the page in the chosen theme. */
export function applyTheme(): void {
  document.documentElement.dataset["theme"] = theme.value;
}

/** Chooses the next theme, and keeps the choice in the browser. */
export function chooseNextTheme(): void {
  theme.value = themes[(themes.indexOf(theme.value) + 1) % themes.length] ?? "system";
  try {
    localStorage.setItem(storageKey, theme.value);
  } catch {
    // A browser without storage forgets the choice.
  }
  applyTheme();
}

function storedTheme(): Theme {
  try {
    return themes.find((name) => name === localStorage.getItem(storageKey)) ?? "system";
  } catch {
    return "system";
  }
}
