import { configFileJsonSchema } from '../protocol/config-file.ts';
import { asWritten } from '../protocol/json-schema.ts';
import type { JsonSchema } from '../protocol/json-schema.ts';

/** The JSON Schema that editors complete and check configuration files with. */
export function configJsonSchema(): JsonSchema {
  return { title: 'Supervisor configuration', ...asWritten(configFileJsonSchema()) };
}
