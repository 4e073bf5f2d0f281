import { render } from "preact";
import { App } from "./app.tsx";
import { startStore } from "./store.ts";
import { applyTheme } from "./theme.ts";

applyTheme();
startStore();
const page = document.getElementById("page");
if (page !== null) render(<App />, page);
