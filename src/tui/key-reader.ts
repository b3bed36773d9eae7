/** The bytes of a terminal as keys. */

export type Key =
  | { readonly kind: 'key'; readonly name: KeyName }
  | { readonly kind: 'text' | 'paste'; readonly text: string };

export type KeyName =
  | ('up' | 'down' | 'left' | 'right' | 'page-up' | 'page-down' | 'home' | 'end')
  | ('enter' | 'escape' | 'tab' | 'back-tab' | 'backspace' | 'delete')
  | ('ctrl-c' | 'ctrl-z' | 'ctrl-u' | 'ctrl-w' | 'ctrl-l');

const SEQUENCES: Readonly<Record<string, KeyName>> = {
  ...{ '[A': 'up', '[B': 'down', '[C': 'right', '[D': 'left', OA: 'up', OB: 'down' },
  ...{ OC: 'right', OD: 'left', '[H': 'home', '[F': 'end', OH: 'home', OF: 'end' },
  ...{ '[1~': 'home', '[4~': 'end', '[7~': 'home', '[8~': 'end', '[3~': 'delete' },
  ...{ '[5~': 'page-up', '[6~': 'page-down', '[Z': 'back-tab' },
};

const CONTROLS: Readonly<Record<string, KeyName>> = {
  ...{ '\r': 'enter', '\n': 'enter', '\t': 'tab', '\u007F': 'backspace', '\b': 'backspace' },
  ...{ '\u0003': 'ctrl-c', '\u001A': 'ctrl-z', '\u0015': 'ctrl-u', '\u0017': 'ctrl-w' },
  '\u000C': 'ctrl-l',
};

const ESCAPE = '\u001B';
const PASTE_BEGIN = `${ESCAPE}[200~`;
const PASTE_END = `${ESCAPE}[201~`;
const PASTE_CHARS_MAX = 10_000;
// oxlint-disable-next-line no-control-regex -- a sequence begins with a control character
const SEQUENCE = /^\u001B(\[[0-9;?]*[A-Za-z~]|O[A-Za-z])/;
/** A sequence that is not whole yet, if nothing else follows. */
// oxlint-disable-next-line no-control-regex -- the same
const OPEN_SEQUENCE = /^\u001B(\[[0-9;?]*|O)?$/;

export class KeyReader {
  #rest = '';

  /** True: an escape sequence, or the Escape key itself, waits for what follows. */
  get isOpen(): boolean {
    return this.#rest !== '';
  }

  read(chunk: string): readonly Key[] {
    const keys: Key[] = [];
    let text = this.#rest + chunk;
    this.#rest = '';
    while (text !== '') {
      if (text.startsWith(PASTE_BEGIN)) {
        const end = text.indexOf(PASTE_END);
        if (end < 0) {
          this.#rest = shortPaste(text);
          return keys;
        }
        keys.push({ kind: 'paste', text: pasted(text.slice(PASTE_BEGIN.length, end)) });
        text = text.slice(end + PASTE_END.length);
      } else if (OPEN_SEQUENCE.test(text)) {
        this.#rest = text;
        return keys;
      } else text = text.slice(readOne(text, keys));
    }
    return keys;
  }

  /** Nothing followed: what waits is a key of its own. */
  flush(): readonly Key[] {
    const rest = this.#rest;
    if (rest.startsWith(PASTE_BEGIN)) return [];
    this.#rest = '';
    return rest === '' ? [] : [{ kind: 'key', name: 'escape' }];
  }
}

/** How many characters it takes. */
function readOne(text: string, keys: Key[]): number {
  if (text.startsWith(ESCAPE)) {
    const [whole = ESCAPE, code] = SEQUENCE.exec(text) ?? [];
    const name = code === undefined ? 'escape' : SEQUENCES[code];
    if (name !== undefined) keys.push({ kind: 'key', name });
    return whole.length;
  }
  const [character = ''] = text;
  const name = CONTROLS[character];
  if (name !== undefined) keys.push({ kind: 'key', name });
  else if (character >= ' ') keys.push({ kind: 'text', text: character });
  return character.length;
}

/** The end of a long paste may be split over two chunks. Without its first part, every later key would be pasted. */
function shortPaste(text: string): string {
  const tail = Math.max(PASTE_CHARS_MAX, text.length - PASTE_END.length + 1);
  return text.slice(0, PASTE_CHARS_MAX) + text.slice(tail);
}

/** A paste is text on one line, never a series of keys. */
function pasted(text: string): string {
  return text.slice(0, PASTE_CHARS_MAX).replaceAll(/\s+/g, ' ').trim();
}
