/** The hypotheses of the search as a tree: the one shown strong, the others faint and one click away. */
import type { GenerationInfo } from "../source";
import { isSpecial, joinTokens, markOf, type Style } from "../weights/units";
import { useWords } from "../words/words";

interface BeamsProps {
  generation: GenerationInfo;
  busy: boolean;
  able: boolean; // whether another can be asked for here
  onChoose(hypothesis: number): void;
}

export function Beams({ generation, busy, able, onChoose }: BeamsProps) {
  const say = useWords();
  const { hypotheses, shown } = generation;
  const style = markOf(hypotheses.flatMap((each) => each.tokens));
  const tree = prefixTree(hypotheses, shown);
  return (
    <div>
      <h3 class="rg-section">
        {say("beam", { count: hypotheses.length })} <span class="rg-note" data-screen>{say(able ? "steps.beam" : "beam.only")}</span>
      </h3>
      <ul>
        <Fork branch={tree} style={style} {...{ generation, busy, able, onChoose }} />
      </ul>
    </div>
  );
}

function Fork(props: BeamsProps & { branch: Branch; style: Style }) {
  const { branch, style, generation, busy, able, onChoose } = props;
  const say = useWords();
  const { hypotheses, shown } = generation;
  const read = joinTokens(branch.tokens.filter((token) => !isSpecial(token)), style);
  const wins = branch.through.includes(shown);
  return (
    <li class={`rg-generation__branch${wins ? " rg-generation__branch--shown" : ""}`}>
      {(read || branch.ends.length > 0) && (
        <span class="rg-row">
          {read && <span>{read}</span>}
          {branch.ends.map((index) => {
            const hypothesis = hypotheses[index];
            if (!hypothesis) return null;
            const score = hypothesis.score === null ? say("beam.unscored") : hypothesis.score.toFixed(2).replace("-", "−");
            return (
              <button
                key={index}
                type="button"
                class="rg-chip"
                aria-pressed={index === shown}
                disabled={busy || (!able && index !== shown)}
                aria-label={say("beam.n", { number: index + 1, text: hypothesis.text, score })}
                title={hypothesis.text}
                onClick={() => onChoose(index)}
              >
                <span class="rg-number">{score}</span>
                {index === shown && ` ${say("beam.shown")}`}
                {!hypothesis.finished && ` ${say("beam.cut")}`}
              </button>
            );
          })}
        </span>
      )}
      {branch.branches.length > 0 && (
        <ul>
          {branch.branches.map((each) => (
            <Fork key={each.through[0]} {...props} branch={each} />
          ))}
        </ul>
      )}
    </li>
  );
}

type Hypothesis = Pick<GenerationInfo["hypotheses"][number], "tokens">;

export interface Branch {
  tokens: string[]; // from the fork above to the next one
  through: number[]; // hypotheses that pass here
  ends: number[]; // hypotheses that end here
  branches: Branch[]; // the shown one's first, then by the best hypothesis in each
}

/** The prefix tree of the hypotheses, chains joined; `shown` goes first at every fork. */
export function prefixTree(hypotheses: readonly Hypothesis[], shown: number): Branch {
  const order = hypotheses.map((_, index) => index).sort((a, b) => Number(b === shown) - Number(a === shown) || a - b);
  return grown(order, hypotheses, 0);
}

function grown(through: number[], hypotheses: readonly Hypothesis[], depth: number): Branch {
  const tokensOf = (index: number) => hypotheses[index]?.tokens ?? [];
  let end = depth;
  const [first] = through;
  const lead = first === undefined ? [] : tokensOf(first);
  while (end < lead.length && through.every((index) => tokensOf(index)[end] === lead[end])) end++;
  const next = new Map<string, number[]>();
  for (const index of through) {
    const token = tokensOf(index)[end];
    if (token === undefined) continue;
    next.set(token, [...(next.get(token) ?? []), index]);
  }
  return {
    tokens: lead.slice(depth, end),
    through,
    ends: through.filter((index) => tokensOf(index).length === end),
    branches: [...next.values()].map((group) => grown(group, hypotheses, end)),
  };
}
