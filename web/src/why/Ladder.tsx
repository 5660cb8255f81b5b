/** The logit lens: a rung for each layer, with the words that it would write. */
import type { Lens } from "../source";
import { tokenLabel, type Style } from "../weights/units";
import { Ranked } from "../weights/Ranked";
import { percent } from "../weights/words";
import { useWords } from "../words/words";

const SHOWN = 4;

export function Ladder({ lens, style }: { lens: Lens; style: Style }) {
  const say = useWords();
  const word = tokenLabel(lens.token, style);
  return (
    <ol class="rg-why__ladder">
      {lens.layers.map(({ layer, probability, rank, candidates }) => (
        <li key={layer} class="rg-why__rung">
          <span class="rg-note">{layer === 0 ? say("why.embedding") : say("why.after", { layer: layer - 1 })}</span>
          <span class="rg-why__likely">
            {word} <span class="rg-number">{say("why.rank", { share: percent(probability), rank: rank.toLocaleString("en") })}</span>
          </span>
          <Ranked inline rows={candidates.slice(0, SHOWN).map((each) => ({ label: tokenLabel(each.token, style), share: each.probability, own: each.token === lens.token }))} />
        </li>
      ))}
    </ol>
  );
}
