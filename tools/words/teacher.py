"""The teacher: all-MiniLM-L6-v2, a BERT encoder of 6 layers and 384 dimensions, run by ONNX Runtime on the CPU."""
import numpy as np

def unit(e):
    return e / np.maximum(np.linalg.norm(e, axis=1, keepdims=True), 1e-9)


def teacher_graph(model, path):
    import onnx
    from onnx import TensorProto as T, helper, numpy_helper
    from safetensors.numpy import load
    weights = {k.removeprefix('bert.'): v.astype(np.float32) for k, v in load(model('model.safetensors')).items()
               if 'position_ids' not in k}
    nodes, constants = [], []

    def const(a):
        constants.append(numpy_helper.from_array(np.ascontiguousarray(a), f'c{len(constants)}'))
        return constants[-1].name

    def op(kind, *inputs, **attributes):
        nodes.append(helper.make_node(kind, list(inputs), [f't{len(nodes)}'], **attributes))
        return f't{len(nodes) - 1}'

    def weight(name): return const(weights[name])
    def linear(x, p): return op('Add', op('MatMul', x, const(weights[p + '.weight'].T)), weight(p + '.bias'))

    def norm(x, p):
        return op('LayerNormalization', x, weight(p + '.weight'), weight(p + '.bias'), axis=-1, epsilon=1e-12)

    length = op('Slice', op('Shape', 'ids'), const(np.array([1])), const(np.array([2])))
    positions = op('Slice', weight('embeddings.position_embeddings.weight'), const(np.array([0])), length, const(np.array([0])))
    x = op('Add', op('Gather', weight('embeddings.word_embeddings.weight'), 'ids'), positions)
    x = op('Add', x, const(weights['embeddings.token_type_embeddings.weight'][0]))
    x = norm(x, 'embeddings.LayerNorm')
    hidden = op('Mul', op('Sub', const(np.float32(1)), 'mask'), const(np.float32(-1e4)))
    hidden = op('Unsqueeze', hidden, const(np.array([1, 2])))
    split, join = const(np.array([0, 0, 12, 32])), const(np.array([0, 0, 384]))
    for i in range(6):
        p = f'encoder.layer.{i}.'
        q, k, v = (op('Transpose', op('Reshape', linear(x, f'{p}attention.self.{n}'), split), perm=perm)
                   for n, perm in (('query', [0, 2, 1, 3]), ('key', [0, 2, 3, 1]), ('value', [0, 2, 1, 3])))
        scores = op('Mul', op('MatMul', q, k), const(np.float32(32 ** -.5)))
        mixed = op('MatMul', op('Softmax', op('Add', scores, hidden), axis=-1), v)
        mixed = op('Reshape', op('Transpose', mixed, perm=[0, 2, 1, 3]), join)
        x = norm(op('Add', linear(mixed, p + 'attention.output.dense'), x), p + 'attention.output.LayerNorm')
        y = linear(op('Gelu', linear(x, p + 'intermediate.dense')), p + 'output.dense')
        x = norm(op('Add', y, x), p + 'output.LayerNorm')
    nodes.append(helper.make_node('Identity', [x], ['out']))
    ids, mask, out = (helper.make_tensor_value_info(n, t, ['b', 'l'] + d) for n, t, d in
                      (('ids', T.INT64, []), ('mask', T.FLOAT, []), ('out', T.FLOAT, [384])))
    graph = helper.make_graph(nodes, 'teacher', [ids, mask], [out], constants)
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid('', 20)], ir_version=9), path)


def teacher(model, work):
    """The function from lists of piece numbers to unit vectors of 384 numbers."""
    import onnxruntime
    from onnxruntime.quantization import QuantType, quantize_dynamic
    plain, small = f'{work}/teacher.onnx', f'{work}/teacher.int8.onnx'
    teacher_graph(model, plain)
    quantize_dynamic(plain, small, weight_type=QuantType.QInt8, per_channel=True, op_types_to_quantize=['MatMul'])
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 2
    session = onnxruntime.InferenceSession(small, options, providers=['CPUExecutionProvider'])

    def encode(ids, budget=4096):   # piece places in a batch
        order, out, i = sorted(range(len(ids)), key=lambda i: len(ids[i])), np.zeros((len(ids), 384), np.float32), 0
        while i < len(order):
            j = i + 1
            while j < len(order) and (j - i + 1) * len(ids[order[j]]) <= budget:
                j += 1
            width = len(ids[order[j - 1]])
            a = np.array([ids[o] + [0] * (width - len(ids[o])) for o in order[i:j]])
            mask = np.array([[1] * len(ids[o]) + [0] * (width - len(ids[o])) for o in order[i:j]], np.float32)
            y = session.run(None, {'ids': a, 'mask': mask})[0]
            out[order[i:j]] = unit((y * mask[..., None]).sum(1))
            i = j
        return out
    return encode
