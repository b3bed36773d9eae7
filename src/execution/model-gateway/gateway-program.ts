import { fileURLToPath } from 'node:url';

const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js';

/** The path of the gateway's program. Each attempt starts its own process of it. */
export const gatewayProgram: string = fileURLToPath(
  new URL(`gateway-main.${extension}`, import.meta.url),
);
