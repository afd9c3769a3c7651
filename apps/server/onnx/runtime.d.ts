export { InferenceSession, Tensor } from 'onnxruntime-node';
