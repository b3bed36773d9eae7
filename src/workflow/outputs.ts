/** Named values of answers that later steps, commands, commits and pull requests use. */
import type { Json } from '../base/json.ts';
import { isRecord } from '../base/json.ts';
import { truncate } from '../base/text.ts';

const NAMES_MAX = 200;
/** In characters of JSON. All values together are part of the input of every step. */
const VALUE_MAX = 4000;
const ALL_MAX = 100_000;
/** When all of that is used up, each further value is cut to this. */
const SHORT_MAX = 200;

/** The values so far with those of a step. A later step replaces the value of a plain name. The path `summary` names its last words. */
export function addOutputs(
  outputs: Readonly<Record<string, Json>>,
  step: string,
  paths: Readonly<Record<string, string>>,
  { answer, summary }: { readonly answer: Json; readonly summary: string },
): Readonly<Record<string, Json>> {
  const added: Record<string, Json> = { ...outputs };
  for (const [name, path] of Object.entries(paths)) {
    const value = path === 'summary' ? summary : pickValue(answer, path);
    if (value === undefined || value === null) continue;
    for (const key of [`${step}.${name}`, name])
      if (Object.hasOwn(added, key) || Object.keys(added).length < NAMES_MAX)
        added[key] = bounded(
          value,
          Math.max(SHORT_MAX, Math.min(VALUE_MAX, ALL_MAX - sizeOf(added))),
        );
  }
  return added;
}

/** The value at a dotted path, such as `phases.0.title`. An empty path is the whole answer. Undefined: there is none. */
function pickValue(answer: Json, path: string): Json | undefined {
  if (path === '') return answer;
  let value: unknown = answer;
  for (const part of path.split('.')) {
    const isKnown = (isRecord(value) || Array.isArray(value)) && Object.hasOwn(value, part);
    if (!isKnown) return undefined;
    value = (value as Readonly<Record<string, unknown>>)[part];
  }
  return value as Json;
}

function sizeOf(outputs: Readonly<Record<string, Json>>): number {
  return JSON.stringify(outputs).length;
}

function bounded(value: Json, charsMax: number): Json {
  if (typeof value === 'string') return truncate(value, charsMax);
  const text = JSON.stringify(value);
  return text.length <= charsMax ? value : truncate(text, charsMax);
}

const REFERENCE = /\$\{([\w.-]+)\}/g;

/** Replaces `${step.name}` and `${name}`. A name without a value stays as it is written. */
export function fillIn(text: string, outputs: Readonly<Record<string, Json>>): string {
  return text.replaceAll(REFERENCE, (whole, name: string) => {
    if (!Object.hasOwn(outputs, name)) return whole;
    const value = outputs[name] ?? null;
    return typeof value === 'string' ? value : JSON.stringify(value);
  });
}
