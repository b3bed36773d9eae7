/** The keys of the page. Each screen says which of them work on it, and `?` shows exactly those. */
import { useLayoutEffect, useSyncExternalStore } from 'react';

export type Key = {
  /** As `KeyboardEvent.key` names it. */
  readonly key: string;
  readonly does: string;
  /** Absent: it works always. A text: why it does not work now. */
  readonly disabled?: string | undefined;
  readonly run: () => void;
};

type Layer = { readonly title: string; readonly keys: readonly Key[] };

let layers: readonly Layer[] = [];
const listeners = new Set<() => void>();

function setLayers(next: readonly Layer[]): void {
  layers = next;
  for (const listener of listeners) listener();
}

/** The keys of a part of the page, as long as it is shown. Later parts come first. */
export function useKeys(title: string, keys: readonly Key[]): void {
  // Before it is drawn: what a person sees has its keys.
  useLayoutEffect(() => {
    const layer = { title, keys };
    setLayers([...layers, layer]);
    return () => setLayers(layers.filter((one) => one !== layer));
  });
}

/** Everything that works here. */
export function useKeyMap(): readonly Layer[] {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => layers,
  );
}

const TYPING = 'input, textarea, select, [contenteditable]';

/** Starts to listen. A key that a person types into a field is text. */
export function listenForKeys(): void {
  document.addEventListener('keydown', (event) => {
    const { target } = event;
    const isTyping = target instanceof Element && target.matches(TYPING);
    // A dialog has keys of its own.
    if (document.querySelector('dialog[open]') !== null) return;
    const isChord = event.ctrlKey || event.metaKey || event.altKey;
    if (isChord || (isTyping && event.key !== 'Escape')) return;
    // Enter and the space bar belong to the button or link that has the focus.
    const isOnControl = target instanceof Element && target.closest('button, a, summary') !== null;
    if (isOnControl && (event.key === 'Enter' || event.key === ' ')) return;
    const key = layers
      .toReversed()
      .flatMap((layer) => layer.keys)
      .find((one) => one.key === event.key);
    if (key === undefined || key.disabled !== undefined) return;
    event.preventDefault();
    key.run();
  });
}
