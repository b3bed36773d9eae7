/**
 * Reads the XML that test runners write, tag by tag. It expands no entities but the five of XML and numbers, loads
 * nothing, and reads each character once, so a hostile file costs no more than its length.
 */
export type XmlEvent =
  | {
      readonly kind: 'open';
      readonly name: string;
      readonly attributes: ReadonlyMap<string, string>;
    }
  | { readonly kind: 'close'; readonly name: string }
  | { readonly kind: 'text'; readonly text: string };

const EVENTS_MAX = 500_000;
const ATTRIBUTES_MAX = 50;

/** An empty tag opens and closes. What is no XML is skipped. */
export function* readXml(text: string): Generator<XmlEvent, void> {
  let at = 0;
  for (let events = 0; events < EVENTS_MAX && at < text.length; events += 1) {
    const next = text.indexOf('<', at);
    const until = next < 0 ? text.length : next;
    const between = text.slice(at, until);
    if (between.trim() !== '') yield { kind: 'text', text: decode(between) };
    if (next < 0) return;
    if (text.startsWith('<![CDATA[', next)) {
      const end = endOf(text, ']]>', next);
      yield { kind: 'text', text: text.slice(next + 9, end - 3) };
      at = end;
    } else if (text.startsWith('<!--', next)) at = endOf(text, '-->', next);
    else if (text.startsWith('<?', next)) at = endOf(text, '?>', next);
    else if (text.startsWith('<!', next)) at = endOf(text, '>', next);
    else {
      const end = endOfTag(text, next);
      yield* readTag(text.slice(next + 1, end - 1));
      at = end;
    }
  }
}

function endOf(text: string, mark: string, from: number): number {
  const found = text.indexOf(mark, from);
  return found < 0 ? text.length + mark.length : found + mark.length;
}

/** The place after the tag. A `>` inside a quoted value does not end it. */
function endOfTag(text: string, from: number): number {
  let quote = '';
  for (let at = from + 1; at < text.length; at += 1) {
    const character = text.charAt(at);
    if (quote !== '') {
      if (character === quote) quote = '';
    } else if (character === '"' || character === "'") quote = character;
    else if (character === '>') return at + 1;
  }
  return text.length + 1;
}

const ATTRIBUTE = /([^\s=/"'<>]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/gy;

function* readTag(tag: string): Generator<XmlEvent, void> {
  if (tag.startsWith('/')) {
    yield { kind: 'close', name: localName(tag.slice(1).trim()) };
    return;
  }
  const space = tag.search(/[\s/]/);
  const name = localName(space < 0 ? tag : tag.slice(0, space));
  const attributes = new Map<string, string>();
  let at = space < 0 ? tag.length : space;
  while (attributes.size < ATTRIBUTES_MAX) {
    while (/[\s/]/.test(tag.charAt(at))) at += 1;
    ATTRIBUTE.lastIndex = at;
    const match = ATTRIBUTE.exec(tag);
    if (match === null) break;
    attributes.set(localName(match[1] ?? ''), decode(match[2] ?? match[3] ?? ''));
    at = ATTRIBUTE.lastIndex;
  }
  yield { kind: 'open', name, attributes };
  if (tag.endsWith('/')) yield { kind: 'close', name };
}

/** Without its namespace. */
function localName(name: string): string {
  return name.slice(name.lastIndexOf(':') + 1);
}

const NAMED: Readonly<Record<string, string>> = {
  lt: '<',
  gt: '>',
  amp: '&',
  quot: '"',
  apos: "'",
};

function decode(text: string): string {
  return text.replaceAll(
    /&(#x[0-9a-fA-F]{1,6}|#\d{1,7}|lt|gt|amp|quot|apos);/g,
    (whole, name: string) => {
      if (!name.startsWith('#')) return NAMED[name] ?? whole;
      const code = name.startsWith('#x')
        ? Number.parseInt(name.slice(2), 16)
        : Number(name.slice(1));
      return code <= 0x10_ff_ff ? String.fromCodePoint(code) : whole;
    },
  );
}
