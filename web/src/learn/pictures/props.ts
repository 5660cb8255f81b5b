/** Data of every lesson's picture. */
import type { Lesson as Answer } from "../../source";
import type { Lesson } from "../lessons";
import type { Settings } from "../settings";

/** The word in the spotlight, and how a picture asks for another. */
export interface Pointing {
  spotlight: number;
  onPoint(word: number | null): void;
  onChoose(word: number): void;
}

export interface PictureProps extends Pointing {
  lesson: Lesson;
  answers: readonly Answer[]; // of `requestsOf`, in its order
  settings: Settings; // that they were asked with
}
