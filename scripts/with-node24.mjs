/** `with-node24.mjs FILE args…`: runs a TypeScript file of this checkout, set up first if need be. */
import { become } from './run.mjs';
import { setup, toolEnv } from './setup.mjs';

void setup().then((node24) =>
  become(
    node24,
    ['--disable-warning=ExperimentalWarning'].concat(process.argv.slice(2)),
    toolEnv(),
  ),
);
