import { asWritten } from '../settings/json-schema.ts';
import type { JsonSchema } from '../settings/json-schema.ts';
import { roleFileJsonSchema } from '../settings/role-file.ts';

/** The JSON Schema that editors use to complete and check role files. */
export function roleJsonSchema(): JsonSchema {
  return { title: 'Supervisor role', ...asWritten(roleFileJsonSchema()) };
}
