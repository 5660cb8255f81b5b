/** Current size of an element on the page. */
import type { RefObject } from "preact";
import { useLayoutEffect, useState } from "preact/hooks";

export interface Size {
  width: number;
  height: number;
}

export function useSize(ref: RefObject<Element | null>): Size {
  const [size, resize] = useState<Size>({ width: 0, height: 0 });
  useLayoutEffect(() => {
    const element = ref.current;
    if (!element) return;
    const measure = () => {
      const { clientWidth: width, clientHeight: height } = element;
      resize((old) => (old.width === width && old.height === height ? old : { width, height }));
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, [ref.current]);
  return size;
}
