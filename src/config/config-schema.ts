import { configFileJsonSchema } from '../settings/config-file.ts';
import { asWritten } from '../settings/json-schema.ts';
import type { JsonSchema } from '../settings/json-schema.ts';

/** The JSON Schema that editors use to complete and check configuration files. */
export function configJsonSchema(): JsonSchema {
  return { title: 'Supervisor configuration', ...asWritten(configFileJsonSchema()) };
}
