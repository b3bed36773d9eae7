/** The JSON Schemas with which editors complete and check the files that people write. */
import { configFileJsonSchema } from './config-file.ts';
import { featureFileJsonSchema } from './feature-file.ts';
import { graphFileJsonSchema } from './graph-file.ts';
import { asWritten } from './json-schema.ts';
import type { JsonSchema } from './json-schema.ts';
import { packFileJsonSchema } from './pack-file.ts';
import { roleFileJsonSchema } from './role-file.ts';
import { strategyFileJsonSchema } from './strategy-file.ts';
import { workflowFileJsonSchema } from './workflow-file.ts';

export function configJsonSchema(): JsonSchema {
  return { title: 'Supervisor configuration', ...asWritten(configFileJsonSchema()) };
}

export function roleJsonSchema(): JsonSchema {
  return { title: 'Supervisor role', ...asWritten(roleFileJsonSchema()) };
}

export function strategyJsonSchema(): JsonSchema {
  return { title: 'Supervisor context strategy', ...asWritten(strategyFileJsonSchema()) };
}

export function workflowJsonSchema(): JsonSchema {
  return { title: 'Supervisor workflow', ...asWritten(workflowFileJsonSchema()) };
}

export function featureJsonSchema(): JsonSchema {
  return { title: 'Supervisor feature', ...asWritten(featureFileJsonSchema()) };
}

export function graphJsonSchema(): JsonSchema {
  return { title: 'Supervisor graph', ...asWritten(graphFileJsonSchema()) };
}

export function packJsonSchema(): JsonSchema {
  return { title: 'Supervisor pack', ...asWritten(packFileJsonSchema()) };
}
