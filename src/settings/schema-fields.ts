/**
 * The fields that configuration files are made of. The error of each field is the text that follows
 * "expected" in the message.
 */
import { z } from 'zod';
import { DURATION_UNITS_MS, parseQuantity, quantityPattern, SIZE_UNITS_BYTES } from './quantity.ts';
import type { Units } from './quantity.ts';

export const KEYS = { error: 'keys with values' };

export function whole(
  min: number,
  max: number,
  error = `a whole number from ${min} to ${max}`,
): z.ZodInt {
  return z.int({ error }).min(min, { error }).max(max, { error });
}

export function amount(
  min: number,
  max: number,
  error = `a number from ${min} to ${max}`,
): z.ZodNumber {
  return z.number({ error }).min(min, { error }).max(max, { error });
}

/** A process argument cannot contain a NUL character, so no text can. */
export function text(min: number, max: number, error: string): z.ZodString {
  return z
    .string({ error })
    .min(min, { error })
    .max(max, { error })
    .regex(/^[^\0]*$/, { error });
}

export function matching(pattern: RegExp, error: string): z.ZodString {
  return z.string({ error }).regex(pattern, { error });
}

const word = text(0, 8192, 'text of up to 8192 characters (quote it if it looks like a number)');
const commandError = 'a list of 1 to 100 texts that starts with the program, such as [npm, test]';

/** A program and its arguments. */
export const command = z
  .array(word, { error: commandError })
  .min(1, { error: commandError })
  .max(100, { error: commandError });

export const insideProject = matching(
  /^(?!\/)(?!.*(^|\/)\.\.?(\/|$))[^\0]{1,1000}$/,
  'a path inside the project, without . and ..',
);

export function duration(low: string, high: string): Quantity {
  const kind = 'a duration such as 500ms, 10s, 5m, 12h or 1d, or whole seconds';
  return quantity([low, high], DURATION_UNITS_MS, DURATION_UNITS_MS.s, kind);
}

export function size(low: string, high: string): Quantity {
  const kind = 'a size such as 512kB or 10MB, or whole bytes';
  return quantity([low, high], SIZE_UNITS_BYTES, SIZE_UNITS_BYTES.B, kind);
}

/** Input: a text with a unit, or a plain number. Output: a number in the smallest unit. */
type Quantity = z.ZodType<number, string | number>;

function quantity(
  [low, high]: readonly [low: string, high: string],
  units: Units,
  plainUnit: number,
  kind: string,
): Quantity {
  const [min, max] = [low, high].map(
    (text) => parseQuantity(text, units, plainUnit) ?? Number.NaN,
  ) as [number, number];
  const error = `${kind}, from ${low} to ${high}`;
  const text = z.string({ error }).regex(new RegExp(quantityPattern(units)), { error });
  const plain = whole(Math.ceil(min / plainUnit), Math.floor(max / plainUnit), error);
  return z.union([text, plain], { error }).transform((written, context) => {
    const value = parseQuantity(written, units, plainUnit);
    if (value !== undefined && value >= min && value <= max) return value;
    context.issues.push({ code: 'custom', message: error, input: written });
    return z.NEVER;
  });
}

type Path = z.ZodType<string, string>;

/** A path of this machine; `~` stands for `userDir`. */
export function machinePath(userDir: string): Path {
  return matching(/^(\/|~\/)[^\0]{0,4000}$/, 'a path that starts with / or ~/').transform(
    (written) => expandHome(written, userDir),
  );
}

/** The same, or a path inside the project, which starts with `./`. */
export function projectPath(userDir: string): Path {
  return matching(/^(\/|~\/|\.\/)[^\0]{0,4000}$/, 'a path that starts with /, ~/ or ./').transform(
    (written) => expandHome(written, userDir),
  );
}

function expandHome(path: string, userDir: string): string {
  return path.replace(/^~(?=\/)/, () => userDir);
}

/** The output of a schema with every part read-only. */
export type Immutable<Value> = Value extends string | number | boolean | null | undefined
  ? Value
  : { readonly [Key in keyof Value]: Immutable<Value[Key]> };
