import { asWritten } from '../protocol/json-schema.ts';
import type { JsonSchema } from '../protocol/json-schema.ts';
import { strategyFileJsonSchema } from '../protocol/strategy-file.ts';

/** The JSON Schema that editors complete and check strategy files with. */
export function strategyJsonSchema(): JsonSchema {
  return { title: 'Supervisor context strategy', ...asWritten(strategyFileJsonSchema()) };
}
