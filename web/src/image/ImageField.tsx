/** The image to look into, where a text stands otherwise. */
import { useWords } from "../words/words";
import { isImage, readAsText } from "./grid";
import "./image.css";

export function ImageField({ text, onChoose }: { text: string; onChoose(text: string): void }) {
  const say = useWords();
  return (
    <label class="rg-row rg-ask__image">
      {isImage(text) && <img src={text} alt="" />}
      <span class="rg-button">{say("image.choose")}</span>
      <input
        type="file"
        accept="image/*"
        onChange={(event) => {
          const [file] = event.currentTarget.files ?? [];
          if (file) readAsText(file, onChoose);
        }}
      />
    </label>
  );
}
