/** The first script of the page that computes by itself: its worker opens the models while the browser reads the rest. */
import { threaded, type Ask } from "./ask";

declare global {
  interface Window {
    regardAsk?: Ask;
  }
}

const texts = (part: string) => [...document.querySelectorAll(`[id^=regard-${part}]`)].map(({ textContent }) => textContent ?? "");
const [worker = ""] = texts("worker");
window.regardAsk = threaded(worker, { what: "open", models: texts("model"), engines: texts("engine") });
