/** Data of every lesson's picture. */
import type { Lesson as Answer } from "../../source";
import type { State } from "../../state";
import type { Lesson } from "../lessons";
import type { Settings } from "../settings";

export interface PictureProps {
  state: State;
  lesson: Lesson;
  answers: readonly Answer[]; // of `requestsOf`, in its order
  settings: Settings; // that they were asked with
  spotlight: number;
  onPoint(word: number | null): void;
  onChoose(word: number): void;
  onSay(said: string | null): void;
}
