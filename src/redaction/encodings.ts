/** The forms in which a secret turns up: as it is, and as programs write it elsewhere. */

/** Below this a value is no secret but a word, and taking it out would black out ordinary text. */
const SECRET_BYTES_MIN = 6;
const PIECE_BYTES_MAX = 2048;

/** Every byte sequence that gives the value away. Long values count in pieces, many-line ones by line. */
export function formsOf(value: string): readonly Buffer[] {
  const lines = [value, ...value.split(/\r?\n/)].filter(isLongEnough);
  const forms = lines.flatMap((line) => piecesOf(Buffer.from(line))).flatMap(formsOfBytes);
  return [...new Map(forms.map((form) => [form.toString('latin1'), form])).values()];
}

function isLongEnough(text: string): boolean {
  return Buffer.byteLength(text) >= SECRET_BYTES_MIN;
}

/** Whole up to a bound; beyond it in equal pieces, each long enough to be known again. */
function piecesOf(bytes: Buffer): readonly Buffer[] {
  const count = Math.ceil(bytes.length / PIECE_BYTES_MAX);
  const size = Math.ceil(bytes.length / count);
  return Array.from({ length: count }, (_, at) => bytes.subarray(at * size, (at + 1) * size));
}

function formsOfBytes(bytes: Buffer): readonly Buffer[] {
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
    formOf(text),
    lowerEscapes(formOf(text)),
    // Everything but letters, digits and -._~, as the standard asks for.
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

/** As the fields of a web form are sent: by other rules than the rest of a URL. */
function formOf(text: string): string {
  return new URLSearchParams([['', text]]).toString().slice(1);
}

function lowerEscapes(escaped: string): string {
  return escaped.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase());
}

/**
 * Inside a longer text in base64 a value may begin at any of three places in a group, and its first
 * and last digits depend on its neighbours. What is the same in every surrounding is its core.
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
