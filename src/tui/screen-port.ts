/** What the screen needs from a terminal. */
type ScreenSize = { readonly columns: number; readonly rows: number };

export interface ScreenPort {
  size(): ScreenSize;
  write(text: string): void;
  /** Takes the terminal over: raw keys, and `leave` is written on every way out of this process. */
  open(enter: string, leave: string): void;
  /** Gives the terminal back. */
  close(): void;
  /** Stops this process as Ctrl-Z does, and resolves after it continues. */
  suspend(): Promise<void>;
  onInput(listener: (text: string) => void): void;
  onResize(listener: () => void): void;
  /** The process continues after something else has stopped it. */
  onContinue(listener: () => void): void;
}
