/** Processes for gateways, as an owner has them. */
import { gatewayProgram } from '../attempts/gateway-program.ts';
import type { ProcessBounds } from '../gateway/process/gateway-process.ts';
import { GatewayProcesses } from '../gateway/process/gateway-processes.ts';
import { systemClock } from '../host/system-clock.ts';

export function testGateways(name: string, bounds: Partial<ProcessBounds> = {}): GatewayProcesses {
  return new GatewayProcesses({
    clock: systemClock,
    node: process.execPath,
    main: gatewayProgram,
    tagOf: (nth) => `test-${process.pid}-${name}/gateway/${nth}`,
    env: {},
    bounds,
  });
}
