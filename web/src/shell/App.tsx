/** The page: the rail on the left, the hero in the middle, the drawer on the right. */
import { useEffect, useMemo, useRef } from "preact/hooks";
import { Compare } from "../compare/Compare";
import { Flow } from "../flow/Flow";
import { imageOf, readAsText, type Image } from "../image/grid";
import { Picture } from "../image/Picture";
import { Which } from "../heads/Which";
import { obey, taken } from "./keys";
import { Learn } from "../learn/Learn";
import { AttentionMap } from "../map/AttentionMap";
import { Changed } from "../off/Changed";
import { playing } from "../play/game";
import { Play } from "../play/Play";
import { Said } from "../said/Said";
import type { TraceInfo } from "../source";
import { openFile, waiting, type Face, type State } from "../state";
import { ribboned } from "../translation/aligned";
import { Translation } from "../translation/Translation";
import { sayIn, WordsContext } from "../words/words";
import { lookInto } from "./address";
import { taken as ribbonsTaken } from "./bend";
import { Drawer, faceOf } from "./drawer/Drawer";
import { Gone, Notice } from "./Notice";
import { Help } from "./Help";
import { Hint } from "./Hint";
import { Labels, Nearest } from "./Labels";
import { Progress } from "./Progress";
import { Rail } from "./rail/Rail";
import { ReceiptLine, Toolbar } from "./Toolbar";
import { Sentences } from "./Sentences";
import { useUncovered } from "./uncover";
import "./rail/rail.css";
import "./drawer/drawer.css";
import "./layout.css";
import "./notebook.css";

/** `whole`: the page is all there is in the window, so keys work wherever they are pressed. */
export function App({ state, whole }: { state: State; whole: boolean }) {
  const root = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const element = root.current as HTMLElement;
    const target: HTMLElement | Document = whole ? document : element;
    const onKey = (event: Event) => {
      const press = event as KeyboardEvent;
      const from = press.composedPath()[0];
      if (press.defaultPrevented || (from instanceof Element && taken(from as HTMLInputElement, press))) return;
      if (obey(state, press, element)) press.preventDefault();
    };
    target.addEventListener("keydown", onKey);
    return () => target.removeEventListener("keydown", onKey);
  }, [state, whole]);
  const trace = state.trace.value;
  const face = faceOf(state);
  useUncovered(root, face !== "");
  const learn = state.learn.value;
  const language = state.language.value;
  const classes = face && !learn ? ` rg-app--drawer rg-app--${face}` : "";
  return (
    <WordsContext.Provider value={sayIn(language)}>
      <div ref={root} class={`rg-app${classes}`} lang={language} {...dropping(state)}>
        {learn ? <Learn state={state} learn={learn} /> : <Inspector state={state} trace={trace} face={face} whole={whole} />}
        <Help state={state} />
      </div>
    </WordsContext.Provider>
  );
}

function Inspector({ state, trace, face, whole }: { state: State; trace: TraceInfo | null; face: Face; whole: boolean }) {
  const ribbons = ribboned(state);
  const returns = state.source.connection?.returns.value ?? 0; // a new one asks again for what failed
  return (
    <>
      <Rail state={state} />
      {trace && !playing(state) && <Which key={`${trace.id} ${returns}`} state={state} trace={trace} />}
      <main class="rg-main">
        {trace && whole && !face && <Hint state={state} trace={trace} />}
        <Toolbar state={state} trace={trace} />
        {trace && <Sentences state={state} trace={trace} />}
        <Progress state={state} />
        <Gone state={state} />
        <Notice state={state} />
        {trace && state.tap.value && !playing(state) && <Said state={state} trace={trace} tap={state.tap.value} />}
        {trace?.labels?.[0] && <Labels key={trace.id} state={state} trace={trace} labels={trace.labels} />}
        {trace?.nearest?.[0] && <Nearest nearest={trace.nearest} />}
        {trace && !(ribbons && state.view.value === "sentence") && <Changed state={state} trace={trace} />}
        <Hero key={returns} state={state} />
        {trace && <ReceiptLine state={state} trace={trace} />}
      </main>
      {trace && face && <Drawer key={returns} state={state} trace={trace} face={face} />}
    </>
  );
}

function Hero({ state }: { state: State }) {
  const tap = state.tap.value;
  const hero = useRef<HTMLDivElement>(null);
  const view = state.view.value;
  const bend = useMemo(() => (view === "map" && hero.current ? ribbonsTaken(hero.current) : null), [view]); // before the sentence goes
  useEffect(() => bend?.(state), [bend]);
  const trace = state.trace.value;
  if (!trace) return <div class="rg-hero" aria-busy={state.busy.value} />;
  const picture = () => {
    if (view === "sentence") return playing(state) ? <Play state={state} trace={trace} /> : ribboned(state) ? <Translation state={state} /> : imageOf(trace) ? <Picture state={state} trace={trace} image={imageOf(trace) as Image} /> : <Flow state={state} />;
    if (!tap) return null;
    const pane = { trace, tap, head: state.head.value };
    return state.other.value ? <Compare state={state} first={pane} second={state.other.value} /> : <AttentionMap state={state} {...pane} />;
  };
  return (
    <div ref={hero} class="rg-hero" id="rg-hero" aria-busy={waiting(state)}>
      {picture()}
    </div>
  );
}

const dropping = (state: State) => ({
  onDragOver: (event: DragEvent) => void (event.dataTransfer?.types.includes("Files") && event.preventDefault()),
  onDrop: (event: DragEvent) => {
    const [file] = event.dataTransfer?.files ?? [];
    if (!file) return;
    event.preventDefault();
    const say = sayIn(state.language.value);
    const model = state.models.value.find((each) => each.name === state.trace.value?.model && each.task === "vision");
    if (model && file.type.startsWith("image/")) readAsText(file, (text) => void lookInto(state, { model: model.name, text }));
    else if (!state.source.abilities.open) state.error.value = say("drop.none", { file: file.name });
    else if (!file.name.endsWith(".safetensors")) state.error.value = say("drop.other", { file: file.name });
    else void openFile(state, file);
  },
});
