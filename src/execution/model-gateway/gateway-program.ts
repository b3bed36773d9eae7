import { fileURLToPath } from 'node:url';

const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js';

/** The file of the program that is one attempt's gateway. */
export const gatewayProgram: string = fileURLToPath(
  new URL(`gateway-main.${extension}`, import.meta.url),
);
