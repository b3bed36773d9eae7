import { fileURLToPath } from 'node:url';

/** Where the files lie that are shipped beside the code: roles, strategies, templates. */
export const packageData: string = fileURLToPath(new URL('../../../config/', import.meta.url));
