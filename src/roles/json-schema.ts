import { asWritten } from '../protocol/json-schema.ts';
import type { JsonSchema } from '../protocol/json-schema.ts';
import { roleFileJsonSchema } from '../protocol/role-file.ts';

/** The JSON Schema that editors complete and check role files with. */
export function roleJsonSchema(): JsonSchema {
  return { title: 'Supervisor role', ...asWritten(roleFileJsonSchema()) };
}
