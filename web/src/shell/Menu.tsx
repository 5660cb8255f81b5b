/** A button that opens a list; a click elsewhere and escape close it. */
import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";

export function Menu({ label, look, title, children }: { label: ComponentChildren; look: string; title?: string; children: ComponentChildren }) {
  const menu = useRef<HTMLDetailsElement>(null);
  useEffect(() => {
    const outside = (event: Event) => {
      if (menu.current?.open && !event.composedPath().includes(menu.current)) menu.current.open = false;
    };
    document.addEventListener("pointerdown", outside);
    return () => document.removeEventListener("pointerdown", outside);
  }, []);
  return (
    <details
      class="rg-menu"
      ref={menu}
      onKeyDown={(event) => {
        if (event.key !== "Escape" || !menu.current?.open) return;
        event.preventDefault();
        menu.current.open = false;
        menu.current.querySelector("summary")?.focus();
      }}
    >
      <summary class={look} title={title}>{label}</summary>
      <ul class="rg-menu__list">{children}</ul>
    </details>
  );
}

export function MenuItem({ busy, onChoose, children }: { busy?: boolean; onChoose(): void; children: ComponentChildren }) {
  return (
    <li>
      <button type="button" class="rg-menu__item" aria-busy={busy} onClick={onChoose}>
        {children}
      </button>
    </li>
  );
}
