/** Every setting that counts, and where it comes from. */
import type { Json } from '../base/json.ts';
import { configFileJsonSchema } from '../protocol/config-file.ts';
import type { JsonSchema } from '../protocol/json-schema.ts';
import { isSecret } from '../yaml/faults.ts';
import type { Loaded } from './load.ts';
import { where } from '../yaml/problem.ts';
import { fromJson, leavesOf, mergeLayers, pathText } from '../yaml/tree.ts';

export type Explained = {
  /** Such as `attempt.grace` or `agents[0].args[1]`. */
  readonly key: string;
  /** As it is written, units and all; a likely secret is replaced. */
  readonly value: Json;
  /** `file:line:column`, a flag, or `default`. */
  readonly origin: string;
};

export function explainSettings({ said }: Pick<Loaded, 'said'>): readonly Explained[] {
  const defaults = fromJson(defaultsOf(configFileJsonSchema()), {
    file: 'default',
    line: 0,
    column: 0,
  });
  return leavesOf(mergeLayers([defaults, said])).map(({ path, leaf }) => ({
    key: pathText(path),
    value: leaf.kind === 'scalar' ? shown(path, leaf.value) : leaf.kind === 'list' ? [] : {},
    origin: where(leaf.place),
  }));
}

function shown(
  path: Parameters<typeof isSecret>[0],
  value: string | number | boolean | null,
): Json {
  return typeof value === 'string' && isSecret(path, value) ? '(not shown)' : value;
}

/** The package's own layer, as the schema states it. */
function defaultsOf(schema: JsonSchema): Json {
  if (schema.properties === undefined) return (schema.default ?? null) as Json;
  return Object.fromEntries(
    Object.entries(schema.properties).map(([key, part]) => [key, defaultsOf(part)]),
  );
}
