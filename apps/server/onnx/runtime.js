// Not bundled: its packages are in this folder, in the repository as in the image.
export { InferenceSession, Tensor } from 'onnxruntime-node';
