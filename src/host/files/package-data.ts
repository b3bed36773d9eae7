import { fileURLToPath } from 'node:url';

/** The folder of the files that are shipped beside the code: roles, strategies, templates. */
export const packageData: string = fileURLToPath(new URL('../../../config/', import.meta.url));
