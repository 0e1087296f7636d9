import { Inject, Injectable } from '@nestjs/common';
import { InvalidParamsError } from '@paymaster/domain';
import type { ErrorManner } from '../../platform/errors/error-table';
import { MethodNotFoundError } from '../../platform/errors/rpc-errors';
import type { RequestMeter, RequestMode } from '../../metrics/request-meter';
import { RpcMetrics } from '../../metrics/rpc-metrics';
import { compileParams, type ParamsValidator } from './params-validator';
import { SPOKEN_DIALECTS, type AnonymousRpcMethod, type Dialect, type RpcMethod } from './rpc-method';

/** A method as one dialect has it. */
export interface MethodShape<Method = RpcMethod> {
  readonly method: Method;
  readonly errors: ErrorManner;
  readonly validate: ParamsValidator;
}

/** The dialect that answers a request, and the params as its schemas have checked them. */
export interface Claim {
  readonly shape: MethodShape;
  readonly params: readonly unknown[];
}

/** A wire name with the methods of all dialects that use it. Each of these dialects has its own shape of the params. */
export class RegisteredMethod {
  private readonly meters: Partial<Record<RequestMode, RequestMeter>> = {};

  /** @param shapes at least one, in the order in which the dialects are asked */
  constructor(
    readonly shapes: ReadonlyArray<MethodShape<RpcMethod | AnonymousRpcMethod>>,
    private readonly metrics: RpcMetrics,
  ) {}

  /** The dialect in whose manner errors are answered as long as no dialect has accepted the request. */
  get first(): MethodShape<RpcMethod | AnonymousRpcMethod> {
    return this.shapes[0]!;
  }

  /**
   * The first shape whose schema takes the params, and the params without the optional fields that are null.
   *
   * @throws {InvalidParamsError} the error of the shape that the params name; else of the shape that accepts most of
   *   them
   */
  claim(params: unknown): Claim {
    let refusal: InvalidParamsError | undefined;
    for (const shape of this.shapes as readonly MethodShape[]) {
      try {
        return { shape, params: shape.validate(params) };
      } catch (error) {
        if (!(error instanceof InvalidParamsError)) throw error;
        // The params contain this dialect's discriminating field, so this dialect names the error.
        if (Array.isArray(params) && shape.method.takes?.(params)) throw error;
        // Fields begin with their position: `params`, `params[0]`, `params[1].mode`.
        if (refusal === undefined || error.field > refusal.field) refusal = error;
      }
    }
    throw refusal!;
  }

  /** The meter that counts the requests of a mode. */
  meter(mode: RequestMode): RequestMeter {
    return (this.meters[mode] ??= this.metrics.meter(this.first.method.name, mode));
  }
}

/** Methods by wire name. It is a Map, so that `__proto__` and similar names are just unknown. */
@Injectable()
export class MethodRegistry {
  private readonly methods: ReadonlyMap<string, RegisteredMethod>;

  constructor(@Inject(SPOKEN_DIALECTS) dialects: readonly Dialect[], metrics: RpcMetrics) {
    const shapes = new Map<string, Array<MethodShape<RpcMethod | AnonymousRpcMethod>>>();
    for (const { methods, errors } of dialects) {
      for (const method of methods) {
        const shape = { method, errors, validate: compileParams(method) };
        shapes.set(method.name, [...(shapes.get(method.name) ?? []), shape]);
      }
    }
    this.methods = new Map([...shapes].map(([name, ofName]) => [name, new RegisteredMethod(ofName, metrics)]));
  }

  /** @throws {MethodNotFoundError} */
  get(name: string): RegisteredMethod {
    const found = this.methods.get(name);
    if (!found) throw new MethodNotFoundError(name);
    return found;
  }
}
