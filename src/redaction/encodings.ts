/** The forms in which a secret appears: as it is, and as programs encode it. */

/** A shorter value is an ordinary word, and redacting it would remove ordinary text. */
const SECRET_BYTES_MIN = 6;
const PIECE_BYTES_MAX = 2048;

/**
 * Every byte sequence that reveals the value. Long values are split into pieces, and values with several lines into
 * lines.
 */
export function secretForms(value: string): readonly Buffer[] {
  const lines = [value, ...value.split(/\r?\n/)].filter(isLongEnough);
  const forms = lines.flatMap((line) => splitIntoPieces(Buffer.from(line))).flatMap(encodeForms);
  return [...new Map(forms.map((form) => [form.toString('latin1'), form])).values()];
}

function isLongEnough(text: string): boolean {
  return Buffer.byteLength(text) >= SECRET_BYTES_MIN;
}

/** The whole value up to a bound. Beyond it, equal pieces that are each long enough to be recognized. */
function splitIntoPieces(bytes: Buffer): readonly Buffer[] {
  const count = Math.ceil(bytes.length / PIECE_BYTES_MAX);
  const size = Math.ceil(bytes.length / count);
  return Array.from({ length: count }, (_, at) => bytes.subarray(at * size, (at + 1) * size));
}

function encodeForms(bytes: Buffer): readonly Buffer[] {
  const text = bytes.toString('utf8');
  const hex = bytes.toString('hex');
  const everyByte = hex.replace(/../g, '%$&');
  const someBytes = escapeUri(text);
  const written = [
    JSON.stringify(text).slice(1, -1),
    JSON.stringify(text).slice(1, -1).replaceAll('/', '\\/'),
    hex,
    hex.toUpperCase(),
    everyByte,
    everyByte.toUpperCase(),
    someBytes,
    lowerEscapes(someBytes),
    formEncode(text),
    lowerEscapes(formEncode(text)),
    // Everything but letters, digits and -._~, as the standard requires.
    strictUri(someBytes),
    lowerEscapes(strictUri(someBytes)),
    ...base64Cores(bytes),
  ];
  return [bytes, ...written.map((form) => Buffer.from(form))].filter(({ length }) => length > 3);
}

function escapeUri(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}

function strictUri(escaped: string): string {
  return escaped.replace(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);
}

/** The encoding of web form fields, which differs from the rest of a URL. */
function formEncode(text: string): string {
  return new URLSearchParams([['', text]]).toString().slice(1);
}

function lowerEscapes(escaped: string): string {
  return escaped.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase());
}

/**
 * In a longer base64 text, a value may begin at any of three offsets in a group, and its first and last digits depend
 * on its neighbours. The core is the part that is the same in every context.
 */
function base64Cores(bytes: Buffer): readonly string[] {
  return [0, 1, 2].flatMap((shift) => {
    const padded = Buffer.concat([Buffer.alloc(shift), bytes]);
    const digits = padded.toString('base64').replace(/=+$/, '');
    const from = Math.ceil((shift * 8) / 6);
    const to = Math.floor((padded.length * 8) / 6);
    const core = digits.slice(from, to);
    return [core, core.replaceAll('+', '-').replaceAll('/', '_')];
  });
}
