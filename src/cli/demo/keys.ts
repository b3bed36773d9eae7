import type { ReadStream } from 'node:tty';

export type Keys = {
  /** Whether there is a keyboard. */
  readonly isThere: boolean;
  /** Resolves when the key is pressed. Without a keyboard it never resolves. */
  readonly pressed: (key: string) => Promise<void>;
  /** Calls back each time that the key is pressed. */
  readonly on: (key: string, listener: () => void) => void;
  readonly onInterrupt: (listener: () => void) => void;
  readonly close: () => void;
};

export const CTRL_C = '\u0003';

/** Reads single keys, without Enter. In raw mode the terminal does not handle Ctrl-C, so this does. */
export function watchKeys(stdin: ReadStream): Keys {
  const listeners = new Map<string, (() => void)[]>();
  const on = (key: string, listener: () => void): void => {
    listeners.set(key, [...(listeners.get(key) ?? []), listener]);
  };
  const read = (typed: Buffer): void => {
    for (const key of typed.toString()) for (const listener of listeners.get(key) ?? []) listener();
  };
  if (stdin.isTTY) {
    stdin.setRawMode(true);
    stdin.on('data', read);
  }
  return {
    isThere: stdin.isTTY,
    on,
    pressed: (key) => new Promise((resolve) => on(key, resolve)),
    onInterrupt: (listener) => {
      on(CTRL_C, listener);
      // A terminal that is closed, and a program that ends a group of processes, send a signal several times. Each one
      // without a listener would end the process at once, and leave its owner behind.
      for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, listener);
    },
    close: () => {
      if (!stdin.isTTY) return;
      stdin.setRawMode(false);
      stdin.off('data', read);
      stdin.pause();
    },
  };
}
