import { Inject, Injectable } from '@nestjs/common';
import type { RequestMeter, RequestMode } from '../metrics/request-meter';
import { RpcMetrics } from '../metrics/rpc-metrics';
import { MethodNotFoundError } from '../errors/rpc-errors';
import { compileParams, type ParamsValidator } from './params-validator';
import { PLAIN, type RequestKind } from './request-kind';
import { RPC_METHODS, type AnonymousRpcMethod, type RpcMethod } from './rpc-method';

/** A method with what every request of it needs. */
export class RegisteredMethod {
  readonly validate: ParamsValidator;
  readonly kind: RequestKind;
  private readonly meters: Partial<Record<RequestMode, RequestMeter>> = {};

  constructor(
    readonly method: RpcMethod | AnonymousRpcMethod,
    private readonly metrics: RpcMetrics,
  ) {
    this.validate = compileParams(method.document);
    this.kind = method.kind ?? PLAIN;
  }

  /** What counts requests of a mode. */
  meter(mode: RequestMode): RequestMeter {
    return (this.meters[mode] ??= this.metrics.meter(this.method.name, mode));
  }
}

/** Wire names to methods. A Map, so that `__proto__` and its like are just unknown names. */
@Injectable()
export class MethodRegistry {
  private readonly methods: ReadonlyMap<string, RegisteredMethod>;

  constructor(@Inject(RPC_METHODS) methods: ReadonlyArray<RpcMethod | AnonymousRpcMethod>, metrics: RpcMetrics) {
    this.methods = new Map(methods.map((method) => [method.name, new RegisteredMethod(method, metrics)]));
  }

  /** @throws {MethodNotFoundError} */
  get(name: string): RegisteredMethod {
    const found = this.methods.get(name);
    if (!found) throw new MethodNotFoundError(name);
    return found;
  }
}
