import { asWritten } from '../settings/json-schema.ts';
import type { JsonSchema } from '../settings/json-schema.ts';
import { strategyFileJsonSchema } from '../settings/strategy-file.ts';

/** The JSON Schema that editors complete and check strategy files with. */
export function strategyJsonSchema(): JsonSchema {
  return { title: 'Supervisor context strategy', ...asWritten(strategyFileJsonSchema()) };
}
