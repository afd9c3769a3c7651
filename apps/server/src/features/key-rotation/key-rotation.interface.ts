import { iface } from '@restatedev/restate-sdk-core';

/** Stored by Restate: renaming it, or a handler, abandons calls already made. */
export const keyRotationObject = iface.object('KeyRotation', { run: iface.json<{ rotationId: string }>() });
