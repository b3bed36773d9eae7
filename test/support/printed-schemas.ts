/** Checks documents against the JSON Schemas that `supervisor schema` prints, with a validator that is not ours. */
import assert from 'node:assert/strict';
import type { ValidateFunction } from 'ajv/dist/2020.js';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { isRecord } from '../../src/base/json.ts';

type Print = (name: string) => Promise<string>;

export class PrintedSchemas {
  readonly #print: Print;
  readonly #compiled = new Map<string, ValidateFunction>();

  /** `print` resolves with what `supervisor schema NAME` prints. */
  constructor(print: Print) {
    this.#print = print;
  }

  /** The names of the documents in an output, one per line. Each has to fit its schema. */
  async check(output: string, where: string): Promise<readonly string[]> {
    const lines = output.split('\n').filter((line) => line !== '');
    assert.ok(lines.length > 0, `${where} printed nothing`);
    const names = new Set<string>();
    for (const line of lines) {
      const document: unknown = JSON.parse(line);
      assert.ok(isRecord(document), where);
      const name = /^supervisor\.([a-z-]+)\/1$/.exec(String(document['schema']))?.[1];
      assert.ok(name !== undefined, `${where}: ${line.slice(0, 200)}`);
      const fits = await this.#validator(name);
      assert.ok(
        fits(document),
        `${where}: ${JSON.stringify(fits.errors?.slice(0, 3))} ${line.slice(0, 1000)}`,
      );
      // The schema is closed: a key that it does not list is refused.
      assert.ok(!fits({ ...document, unlisted: 1 }), `${name} accepts any key`);
      names.add(name);
    }
    return [...names];
  }

  async #validator(name: string): Promise<ValidateFunction> {
    const known = this.#compiled.get(name);
    if (known !== undefined) return known;
    // Formats such as date-time also have a pattern, which is checked.
    const ajv = new Ajv2020({ validateFormats: false, strict: true, strictTypes: false });
    const compiled = ajv.compile(JSON.parse(await this.#print(name)) as object);
    this.#compiled.set(name, compiled);
    return compiled;
  }
}

/** Every key in a document, except those inside the values that belong to others. */
export function keysOf(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(keysOf);
  if (!isRecord(value)) return [];
  return Object.entries(value).flatMap(([key, part]) => [key, ...keysOf(part)]);
}
