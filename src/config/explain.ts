/** Lists every effective setting and where it comes from. */
import type { Json } from '../base/json.ts';
import { configFileJsonSchema } from '../settings/config-file.ts';
import type { JsonSchema } from '../settings/json-schema.ts';
import { isSecret } from '../yaml/schema-faults.ts';
import type { LoadedSettings } from './load-settings.ts';
import { describePlace } from '../yaml/problem.ts';
import { fromJson, listLeaves, mergeLayers, pathText } from '../yaml/yaml-tree.ts';

export type Explained = {
  /** Such as `attempt.grace` or `agents[0].args[1]`. */
  readonly key: string;
  /** As written, with its unit. A likely secret is replaced. */
  readonly value: Json;
  /** `file:line:column`, a flag, or `default`. */
  readonly origin: string;
};

export function explainSettings({
  written,
}: Pick<LoadedSettings, 'written'>): readonly Explained[] {
  const defaults = fromJson(collectDefaults(configFileJsonSchema()), {
    file: 'default',
    line: 0,
    column: 0,
  });
  return listLeaves(mergeLayers([defaults, written])).map(({ path, leaf }) => ({
    key: pathText(path),
    value: leaf.kind === 'scalar' ? hideSecret(path, leaf.value) : leaf.kind === 'list' ? [] : {},
    origin: describePlace(leaf.place),
  }));
}

function hideSecret(
  path: Parameters<typeof isSecret>[0],
  value: string | number | boolean | null,
): Json {
  return typeof value === 'string' && isSecret(path, value) ? '(not shown)' : value;
}

/** The default of a setting in its written form, such as `4GB`. Undefined if it has none. */
export function defaultAt(path: readonly string[]): Json | undefined {
  let at: JsonSchema | undefined = configFileJsonSchema();
  for (const step of path) at = at?.properties?.[step];
  return at?.default as Json | undefined;
}

/** The package's own layer, read from the schema. */
function collectDefaults(schema: JsonSchema): Json {
  if (schema.properties === undefined) return (schema.default ?? null) as Json;
  return Object.fromEntries(
    Object.entries(schema.properties).map(([key, part]) => [key, collectDefaults(part)]),
  );
}
