"""What `loto.client` is built on: gRPC, and the code that is generated from the .proto files. Whoever lacks one of them is told how to
get it."""

import sys

if sys.version_info < (3, 10):
    version = ".".join(map(str, sys.version_info[:2]))
    raise ImportError(f"loto.client needs Python 3.10 or newer, and this is {version}; only methods run on Python 3.8")

try:
    import google.protobuf  # noqa: F401
    import grpc
except ModuleNotFoundError as error:
    raise ImportError(
        f"loto.client needs the packages grpcio and protobuf, and there is no module {error.name}: the extra `client` of this package "
        "installs them (`python3 -m pip install 'loto[client]'`), as does `python3 -m pip install -r deploy/python/requirements.txt`"
    ) from error

try:
    import loto.v1.aggregator_pb2 as messages
    from loto.v1.aggregator_pb2_grpc import AggregatorStub
except ModuleNotFoundError as error:
    raise ImportError(
        f"loto.client needs the code that is generated from the .proto files, and there is no module {error.name}: a wheel of "
        "deploy/python/build-wheel has it, and these commands make it, in the root of the repository: "
        "python3 -m pip install -r deploy/python/requirements.txt && python3 -m grpc_tools.protoc -I proto "
        "--python_out=deploy/python --grpc_python_out=deploy/python loto/v1/job.proto loto/v1/aggregator.proto"
    ) from error

__all__ = ["AggregatorStub", "grpc", "messages"]
